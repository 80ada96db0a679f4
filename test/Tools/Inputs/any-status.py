"""Runs a command whose verdict (wrong, or beyond what differences can judge) is not the point."""
import subprocess
import sys

sys.exit(0 if subprocess.run(sys.argv[1:]).returncode in (0, 1) else 1)
