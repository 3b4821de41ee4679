package dev.ebb.host.trace;

/** Makes up one request after the other, in order of arrival, for ever. */
interface Workload {

  /** Fills a cleared request. */
  void next(RequestBuffer request);
}
