"""`python -m sudare.cli` is the same as `sudare`."""

import sys

from sudare.cli import main

sys.exit(main())
