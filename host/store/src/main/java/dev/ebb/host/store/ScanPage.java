package dev.ebb.host.store;

import java.util.List;

/**
 * Some of the keys.
 *
 * @param next where to go on; 0 if that was all
 * @param keys the keys found, not to be changed
 */
public record ScanPage(long next, List<byte[]> keys) {

  /** Takes a copy of the list. */
  public ScanPage {
    keys = List.copyOf(keys);
  }
}
