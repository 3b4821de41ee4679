package dev.ebb.host.admin.policy;

import dev.ebb.host.http.View;
import dev.ebb.host.switching.SwitchRecord;
import dev.ebb.host.switching.SwitchStep;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A policy switch, successful or not. */
public record SwapDocument(
    long number,
    String time,
    String cause,
    String detail,
    StrategyDocument from,
    StrategyDocument to,
    Map<String, Object> settings,
    boolean published,
    @Nullable String failedStep,
    String failure,
    String stack,
    Map<String, Double> stepMillis,
    @Nullable String loader) {

  /** The latest switches and the total number. */
  public record History(long switches, int loaders, List<SwapDocument> history) {}

  static SwapDocument of(SwitchRecord record) {
    SwitchStep failed = record.failedStep();
    return View.of(SwapDocument.class, record)
        .with("cause", record.cause().kindInWords())
        .with("detail", record.cause().detail())
        .with("from", StrategyDocument.of(record.from()))
        .with("to", StrategyDocument.of(record.to()))
        .with("published", record.isPublished())
        .with("failedStep", failed == null ? null : failed.inWords())
        .with("stepMillis", millis(record.steps()))
        .get();
  }

  private static Map<String, Double> millis(Map<SwitchStep, Duration> steps) {
    Map<String, Double> millis = new LinkedHashMap<>();
    steps.forEach(
        (step, took) -> millis.put(step.inWords(), Math.rint(took.toNanos() / 1e3) / 1e3));
    return millis;
  }
}
