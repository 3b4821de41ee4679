package dev.ebb.host.transfer;

/** The importance of a fetch. */
public enum TransferPriority {
  /** A client waits for the value. */
  READ,
  /** Replication or migration: obeys the bandwidth limit, and waits for reads. */
  BACKGROUND
}
