package dev.ebb.host.trace;

/** Generates requests in order of arrival, without end. */
interface Workload {

  void next(RequestBuffer request);
}
