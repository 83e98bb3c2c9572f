"""What pages show: values made from rows, ready for templates."""
