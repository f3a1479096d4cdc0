# SPDX-License-Identifier: Apache-2.0
"""What a release build holds against exploits: cmake/hardening.cmake.  Arguments: the program and the libraries."""
import os
import re
import subprocess
import sys
import unittest

FILES = sys.argv[1:]
READELF = os.environ.get("READELF", "readelf")


def readelf(option, path):
    return subprocess.run([READELF, "-W", option, path], check=True, capture_output=True, text=True).stdout


class Hardening(unittest.TestCase):
    def test_the_program_can_be_loaded_anywhere(self):
        self.assertRegex(readelf("-h", FILES[0]), r"Type:\s+DYN")
        self.assertRegex(readelf("-d", FILES[0]), r"FLAGS_1.*PIE")

    def test_tables_of_functions_are_bound_and_read_only(self):
        for path in FILES:
            self.assertIn("GNU_RELRO", readelf("-l", path), path)
            self.assertRegex(readelf("-d", path), r"BIND_NOW|FLAGS_1.*NOW", path)

    def test_the_stack_is_not_executable(self):
        for path in FILES:
            stack = re.search(r"GNU_STACK.*", readelf("-l", path))
            self.assertIsNotNone(stack, path)
            self.assertNotIn("RWE", stack[0], path)

    def test_stack_guards_and_checked_copies_are_used(self):
        for path in FILES:
            self.assertIn("__stack_chk_fail", readelf("--dyn-syms", path), path)
        for name in ("__snprintf_chk", "__vsnprintf_chk", "__printf_chk"):
            self.assertIn(name, readelf("--dyn-syms", FILES[0]))

    @unittest.skipUnless(os.uname().machine == "x86_64", "of x86-64")
    def test_targets_of_indirect_jumps_are_marked(self):
        for path in FILES:
            code = subprocess.run(["objdump", "-d", "-j", ".text", path], check=True, capture_output=True, text=True)
            self.assertGreater(code.stdout.count("endbr64"), 300, path)

    def test_the_program_does_not_need_blas_to_start(self):
        self.assertNotRegex(readelf("-d", FILES[0]), r"NEEDED.*(blas|lapack|cholmod)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
