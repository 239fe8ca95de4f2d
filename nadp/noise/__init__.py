"""Noise: its laws, the samplers for research and for publication, and the grid that published numbers lie on."""
