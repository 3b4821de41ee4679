package dev.ebb.host.replay.tiers;

import java.util.ArrayList;
import java.util.List;

/** A part of the disk that is written from its start to its end, and freed as a whole. */
final class DiskRegion {

  /** The keys written to it, first one first; some may have left it since. */
  final List<Long> keys = new ArrayList<>();
}
