# SPDX-License-Identifier: Apache-2.0
"""The C library as cffi has it: its functions and enumerators are attributes of `lib`, which docs/api.md lists."""
from typing import Any

ffi: Any
lib: Any
