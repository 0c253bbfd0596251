"""Makers of items: a file for each task."""
