package dev.ebb.host.store;

import java.util.List;

/**
 * Some of the keys.
 *
 * @param next the cursor of the next page; 0 if this is the last
 */
public record ScanPage(long next, List<byte[]> keys) {

  public ScanPage {
    keys = List.copyOf(keys);
  }
}
