package dev.ebb.router.server;

import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.router.choice.EngineSelector;
import dev.ebb.router.choice.RoutedEngine;
import dev.ebb.router.choice.RoutedEngine.State;

/** The metrics of a router, by engine. */
record RouterMetrics(EngineSelector selector) implements MetricSource {

  @Override
  public void write(MetricSink sink) {
    for (RoutedEngine.Report each : selector.reports()) {
      String engine = each.url();
      for (State state : State.values()) {
        sink.count(
            "ebb_router_engine_state", each.state() == state ? 1 : 0, engine, state.toString());
      }
      sink.count("ebb_router_requests_total", each.requests(), engine);
      sink.count("ebb_router_failures_total", each.failures(), engine);
      sink.count("ebb_router_retries_total", each.retries(), engine);
      sink.count("ebb_router_requests_running", each.running(), engine);
      sink.count("ebb_router_prompt_tokens_total", each.promptTokens(), engine);
      sink.count("ebb_router_cached_tokens_total", each.cachedTokens(), engine);
      sink.count("ebb_router_believed_tokens_total", each.believedTokens(), engine);
      sink.count("ebb_router_believed_blocks", each.believedBlocks(), engine);
    }
  }
}
