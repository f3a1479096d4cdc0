#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install-packages.sh GROUP...: installs the Debian packages of these groups that are missing.
# When all are there it does nothing and needs neither network nor root.
# shellcheck disable=SC2086 # lists of package names are meant to be split
set -eu

packages=
for group in "$@"; do
  case $group in
    build) packages="$packages gcc libc6-dev make cmake ninja-build libsundials-dev liblapacke-dev
        libopenblas-dev libsuitesparse-dev libhdf5-dev libnlopt-dev libopenmpi-dev libyaml-dev libexpat1-dev zlib1g-dev nodejs npm" ;;
    test) packages="$packages g++ binutils pkg-config python3 python3-h5py libcmocka-dev openmpi-bin chromium
        ffmpeg fonts-dejavu-core" ;;
    python) packages="$packages python3 python3-dev python3-cffi python3-numpy python3-scipy python3-matplotlib
        python3-pytest python3-setuptools python3-wheel python3-build python3-pip python3-venv python3-networkx python3-distributed mypy" ;;
    format) packages="$packages clang-format" ;;
    check) packages="$packages clang clang-tidy libomp-dev lld llvm valgrind" ;;
    peers) packages="$packages libmujoco-dev libsimbody-dev liborocos-kdl-dev libdart-dev
        libbullet-dev libeigen3-dev" ;;
    *) echo "usage: $0 build|test|python|format|check|peers ..." >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Not an error: they may be there under other names, and CMake says which one is not.
  echo "This system has no apt.  linkwork needs what Debian calls:" $packages >&2
  exit 0
fi

missing=
for package in $packages; do
  case $package in # what is there from elsewhere will do
    nodejs) if command -v node >/dev/null; then continue; fi ;;
    npm) if command -v npm >/dev/null; then continue; fi ;;
  esac
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    *' installed') ;;
    *) missing="$missing $package" ;;
  esac
done
if [ -z "$missing" ]; then exit 0; fi

if [ "$(id -u)" = 0 ]; then as_root=
elif command -v sudo >/dev/null; then as_root=sudo
else
  echo "Packages are missing and only root may install them:$missing" >&2
  exit 1
fi

echo "Installing missing packages:$missing"
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null; }
# Package lists may be old or absent; if they cannot be refreshed, the old ones may do.
apt update || true
if ! apt install --no-install-recommends $missing; then
  echo "Could not install:$missing" >&2
  exit 1
fi
