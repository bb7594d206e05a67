"""A program to be packed: it prints the texts of files."""

import sys
from multiprocessing import freeze_support

from lumber_files import read_file

if __name__ == "__main__":
    freeze_support()  # must come first: on Windows, reading starts the program again
    for path in sys.argv[1:]:
        sys.stdout.write(read_file(path).text)
