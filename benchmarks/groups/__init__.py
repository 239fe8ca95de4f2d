"""Groups against noise, at equal recovery and at equal disclosure."""
