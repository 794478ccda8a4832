"""Writes the packets of an interface as `tcpdump -w -` does; tcpdump itself only translates the filter.

For labs of an ordinary user, whose user namespace has one user: there, tcpdump cannot give up the rights of root.
netlab needs Python as well.
"""

import argparse
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import time

SO_ATTACH_FILTER, SOL_PACKET, PACKET_AUXDATA, ETH_P_ALL, VLAN_VALID = 26, 263, 8, 3, 0x10

options = argparse.ArgumentParser(prog='tcpdump')
options.add_argument('-i', dest='ifname', required=True)
options.add_argument('-s', dest='snaplen', type=int, default=0)
options.add_argument('-c', dest='count', type=int, default=0)
options.add_argument('-w', choices=['-'], required=True)
for ignored in ('-U', '-n', '--immediate-mode'):
    options.add_argument(ignored, action='store_true')
options.add_argument('filter', nargs='*')
asked = options.parse_args()
snaplen = asked.snaplen or 262144

own = os.path.dirname(os.path.realpath(__file__))
path = [place for place in os.environ['PATH'].split(':') if os.path.realpath(place) != own]
words = ['tcpdump', '-i', asked.ifname, '-s', str(snaplen), '-ddd', '--', *asked.filter]
translated = subprocess.run(words, env={**os.environ, 'PATH': ':'.join(path)}, capture_output=True, text=True)
if translated.returncode != 0:
    sys.exit(translated.stderr.strip())
lines = [[int(word) for word in line.split()] for line in translated.stdout.split('\n')[1:] if line]
code = ctypes.create_string_buffer(b''.join(struct.pack('=HBBI', *line) for line in lines))
# The address must be valid while the filter is attached.
program = struct.pack('@HP', len(lines), ctypes.addressof(code))

packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
packets.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
packets.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
packets.bind((asked.ifname, ETH_P_ALL))
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: sys.exit(0))
out = sys.stdout.buffer
out.write(struct.pack('=IHHiIII', 0xA1B2C3D4, 2, 4, 0, 0, snaplen, 1))
out.flush()
print(f'tcpdump: listening on {asked.ifname}, link-type EN10MB (Ethernet)', file=sys.stderr, flush=True)

left = asked.count or -1
while left != 0:
    data, extra, _, _ = packets.recvmsg(snaplen, 256)
    now = time.time_ns()
    size = len(data)
    for level, kind, value in extra:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, size, _, _, _, tci, tpid = struct.unpack('=IIIHHHH', value[:20])
            if status & VLAN_VALID:
                data = data[:12] + struct.pack('!HH', tpid or 0x8100, tci) + data[12:]
                size += 4
    head = struct.pack('=IIII', now // 1_000_000_000, now // 1000 % 1_000_000, len(data[:snaplen]), size)
    try:
        out.write(head + data[:snaplen])
        out.flush()
    except BrokenPipeError:
        break
    left -= 1
