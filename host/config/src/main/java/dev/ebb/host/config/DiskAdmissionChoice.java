package dev.ebb.host.config;

/** Which evicted values are written to the disk. */
public enum DiskAdmissionChoice {
  /** All. */
  ALL,
  /** Those that were used after they were stored, or were evicted before. */
  SECOND_USE
}
