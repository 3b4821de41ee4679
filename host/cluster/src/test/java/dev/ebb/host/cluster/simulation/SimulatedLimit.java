package dev.ebb.host.cluster.simulation;

/** A part of a cluster that can limit its speed. */
public enum SimulatedLimit {
  DIRECTORY,
  SENDER,
  RECEIVER,
  UPLINK_OUT,
  UPLINK_IN
}
