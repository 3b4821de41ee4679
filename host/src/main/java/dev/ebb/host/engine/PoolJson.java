package dev.ebb.host.engine;

import dev.ebb.host.pool.MigrationReport;
import dev.ebb.host.pool.PoolStats;
import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A pool as JSON. */
public final class PoolJson {

  private PoolJson() {}

  /**
   * A pool in numbers, and its open sequences.
   *
   * @param report the pool
   * @return one object
   */
  public static String stats(PoolReport report) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = generator(out)) {
      json.writeStartObject();
      json.writeStringProperty("device", report.device());
      json.writeStringProperty("policy", report.policy());
      pool(json, report.pool());
      json.writeNumberProperty("cachedBlocks", report.cachedBlocks());
      json.writeNumberProperty("evictableBlocks", report.evictableBlocks());
      json.writeNumberProperty("reservedBlocks", report.reservedBlocks());
      traffic(json, report.traffic());
      shortage(json, report.shortage());
      json.writeArrayPropertyStart("sequences");
      report.sequences().forEach(sequence -> sequence(json, sequence));
      json.writeEndArray();
      json.writeEndObject();
    }
    return out.toString();
  }

  /**
   * What each block is used for, as runs of equal use.
   *
   * @param map the pool
   * @return one object
   */
  public static String map(PoolMap map) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = generator(out)) {
      json.writeStartObject();
      json.writeNumberProperty("blocks", map.blocks());
      json.writeArrayPropertyStart("runs");
      int end;
      for (int first = 0; first < map.blocks(); first = end) {
        BlockUse use = map.use(first);
        end = first + 1;
        while (end < map.blocks() && map.use(end) == use) {
          end++;
        }
        json.writeStartObject();
        json.writeNumberProperty("first", first);
        json.writeNumberProperty("blocks", end - first);
        json.writeStringProperty("use", use.name().toLowerCase(Locale.ROOT));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return out.toString();
  }

  /**
   * Moves between devices, and how far they are.
   *
   * @param migrations under way or over
   * @return one array
   */
  public static String migrations(List<SequenceMigration> migrations) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = generator(out)) {
      json.writeStartArray();
      for (SequenceMigration migration : migrations) {
        MigrationReport report = migration.report();
        json.writeStartObject();
        json.writeNumberProperty("id", migration.id());
        json.writeNumberProperty("sequence", migration.sequence());
        json.writeStringProperty("from", migration.from());
        json.writeStringProperty("to", migration.to());
        json.writeStringProperty("state", report.state().name().toLowerCase(Locale.ROOT));
        if (migration.reason() != null) {
          json.writeStringProperty("reason", migration.reason());
        }
        json.writeNumberProperty("blocks", report.blocks());
        json.writeNumberProperty("blocksCopied", report.blocksCopied());
        json.writeNumberProperty("bytesCopied", report.bytesCopied());
        json.writeNumberProperty("bytesPerSecond", Math.round(report.bytesPerSecond()));
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    return out.toString();
  }

  private static JsonGenerator generator(StringWriter out) {
    return new JsonFactory().createGenerator(ObjectWriteContext.empty(), out);
  }

  private static void pool(JsonGenerator json, PoolStats pool) {
    json.writeNumberProperty("blocks", pool.blocks());
    json.writeNumberProperty("freeBlocks", pool.freeBlocks());
    json.writeNumberProperty("blockBytes", pool.blockBytes());
    json.writeNumberProperty("utilisation", pool.utilisation());
    json.writeNumberProperty("fragmentation", pool.fragmentation());
    json.writeNumberProperty("largestFreeRun", pool.largestFreeRun());
  }

  private static void traffic(JsonGenerator json, TrafficCounters traffic) {
    json.writeObjectPropertyStart("traffic");
    json.writeNumberProperty("opened", traffic.opened());
    json.writeNumberProperty("forked", traffic.forked());
    json.writeNumberProperty("finished", traffic.finished());
    json.writeNumberProperty("aborted", traffic.aborted());
    json.writeNumberProperty("preempted", traffic.preempted());
    json.writeNumberProperty("copiedBlocks", traffic.copiedBlocks());
    json.writeNumberProperty("copiedOverBlocks", traffic.copiedOverBlocks());
    json.writeNumberProperty("arrivedBlocks", traffic.arrivedBlocks());
    json.writeNumberProperty("promptTokens", traffic.promptTokens());
    json.writeNumberProperty("matchedTokens", traffic.matchedTokens());
    json.writeEndObject();
  }

  private static void shortage(JsonGenerator json, ShortageCounters shortage) {
    json.writeObjectPropertyStart("shortage");
    json.writeNumberProperty("compactions", shortage.compactions());
    json.writeNumberProperty("evictedEntries", shortage.evictedEntries());
    json.writeNumberProperty("preemptions", shortage.preemptions());
    json.writeNumberProperty("waits", shortage.waits());
    json.writeNumberProperty("refusals", shortage.refusals());
    json.writeEndObject();
  }

  private static void sequence(JsonGenerator json, SequenceReport sequence) {
    json.writeStartObject();
    json.writeNumberProperty("id", sequence.id());
    if (sequence.tenant() != null) {
      json.writeStringProperty("tenant", sequence.tenant());
    }
    if (sequence.workload() != null) {
      json.writeStringProperty("workload", sequence.workload());
    }
    json.writeNumberProperty("priority", sequence.priority());
    json.writeNumberProperty("tokens", sequence.tokens());
    json.writeNumberProperty("ownBlocks", sequence.ownBlocks());
    json.writeNumberProperty("cachedBlocks", sequence.cachedBlocks());
    json.writeNumberProperty("reservedBlocks", sequence.reservedBlocks());
    json.writeBooleanProperty("inUse", sequence.inUse());
    json.writeBooleanProperty("migrating", sequence.migrating());
    json.writeEndObject();
  }
}
