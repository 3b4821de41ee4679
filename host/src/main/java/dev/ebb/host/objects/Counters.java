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
  int reading;
}
