package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceRequest;

/** Generates requests in order of arrival, without end. */
interface Workload {

  void next(TraceRequest request);
}
