#!/bin/sh
# Stands for containerlab in an image that was built without it: a file to mount that of the host over, and a word about it.
echo 'containerlab is not in this image: build it with --build-arg CONTAINERLAB=<URL or file>, or mount the program of' \
  'the host at /usr/local/bin/containerlab' >&2
exit 127
