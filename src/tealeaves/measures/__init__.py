"""Every measure as a plain function of arrays, and the table they are entered in."""
