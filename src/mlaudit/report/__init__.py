"""What a person or a program reads at the end."""
