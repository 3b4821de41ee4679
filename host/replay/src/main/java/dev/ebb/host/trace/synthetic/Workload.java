package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.RequestBuffer;

/** Generates requests in order of arrival, without end. */
interface Workload {

  void next(RequestBuffer request);
}
