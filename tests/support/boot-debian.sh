#!/bin/sh
# Starts systemd of the Debian in the directory $1 as process 1. Called as process 1 of namespaces of its own
# (tests/support/debian-machine.ts).
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"
mount --rbind /dev "$root/dev"
mount -t sysfs -o ro sysfs "$root/sys"
# As the machine has it: systemd works with either version of control groups.
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
ip link set lo up
cd "$root"
pivot_root . mnt
cd /
umount -l /mnt
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console --show-status=0 --log-level=err
