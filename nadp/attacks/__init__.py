"""What an attacker computes from noisy vectors: one attack a file."""
