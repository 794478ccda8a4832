import { Box } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { Captured } from './capture-session.ts';
import { decode } from './decode.ts';
import type { Packet } from './pcap.ts';
import styles from './capture.module.css';

const rowHeight = 26;

/** `12:04:05.123`, in the time zone of the user. */
function timeText(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

function Row({ packet, linkType, start }: { packet: Packet; linkType: number; start: number }) {
  const { source, destination, protocol, about } = decode(packet.bytes, linkType);
  const cells = [
    packet.number,
    timeText(packet.time),
    source,
    destination,
    protocol,
    packet.length,
    about,
  ] as const;
  return (
    <div
      role="row"
      aria-rowindex={packet.number + 1}
      className={styles['row']}
      style={{ transform: `translateY(${start}px)` }}
    >
      {cells.map((cell, index) => (
        <span role="cell" key={index} title={index === 6 ? about : undefined}>
          {cell}
        </span>
      ))}
    </div>
  );
}

/** A virtualized table of packets; it stays at the end while the end is visible. */
export function PacketTable({ captured }: { readonly captured: Captured }) {
  const { kept, linkType, packets } = captured;
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // The page is built without React's compiler, which could not work with it.
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: kept.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  useEffect(() => {
    if (isAtEnd.current && kept.length > 0) rows.scrollToIndex(kept.length - 1);
  }, [kept.length, rows]);
  return (
    <Box
      ref={box}
      className={styles['packets'] ?? ''}
      role="table"
      aria-label="Packets"
      aria-rowcount={packets + 1}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight;
      }}
    >
      <div role="rowgroup" className={styles['head']}>
        <div role="row" className={styles['columns']} aria-rowindex={1}>
          {['No.', 'Time', 'Source', 'Destination', 'Protocol', 'Bytes', 'Info'].map((name) => (
            <span role="columnheader" key={name}>
              {name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={styles['body']} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const packet = kept[index];
          return packet && <Row key={packet.number} packet={packet} linkType={linkType} start={start} />;
        })}
      </div>
    </Box>
  );
}
