package dev.ebb.host.config;

/** What happens to the values in memory when the server stops. */
public enum OnStopChoice {
  /** They are written to the disk. */
  SAVE,
  /** They are lost; what is on the disk stays. */
  DROP
}
