package dev.ebb.host.objects;

/** What happened in a partition. Guarded by its lock. */
final class Counters {

  long hits;
  long misses;
  long stored;
  long evicted;
  long evictedUnits;
  long expired;
  long notAdmitted;
  long bytesRead;
  long bytesWritten;
  int reading;
  final LatencyCounter storing = new LatencyCounter();
  final Regrets regrets = new Regrets();
}
