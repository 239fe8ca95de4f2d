"""What an attacker computes from noisy vectors: one file for each attack."""
