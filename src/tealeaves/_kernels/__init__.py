"""Every numba kernel, and nothing else; each has a plain reference that its tests hold it against."""
