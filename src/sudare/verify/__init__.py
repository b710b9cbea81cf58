"""The independent verifier: recomputes the guarantee of a release from its written files alone."""
