package dev.ebb.host.disk;

import java.util.concurrent.atomic.LongAdder;

/** The counters of the files of a set. */
final class DiskCounters {

  final LongAdder writtenValues = new LongAdder();
  final LongAdder writtenValueBytes = new LongAdder();
  final LongAdder writtenBytes = new LongAdder();
  final LongAdder reusedRegions = new LongAdder();
  final LongAdder shedValues = new LongAdder();
  final LongAdder keptValues = new LongAdder();
  final LongAdder droppedValues = new LongAdder();
  final LongAdder readValues = new LongAdder();
  final LongAdder readBytes = new LongAdder();
  final LongAdder damagedRecords = new LongAdder();
  final LongAdder errors = new LongAdder();
  final LongAdder lateReads = new LongAdder();
}
