package dev.ebb.host.cli.server;

import dev.ebb.host.admin.stats.TierDocument;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;

/** The tiers of a server as text. */
public final class TierLines {

  private static final Columns<TierDocument> TIERS =
      Columns.of(
          TierDocument.class,
          """
          TIER | {name}
          STATE | [{?inUse}in use][{!inUse}out of use]
          >USED | {usedBytes:bytes}
          >OF | {capacityBytes:bytes}
          >FULL | {occupancy:percent}
          >VALUES | {values:count}
          >HITS | {hits:count}
          >HIT BYTES | {hitBytes:bytes}
          >MISSES | {misses:count}
          """);

  private static final TextTemplate<TierDocument> OUTAGE =
      TextTemplate.of(
          TierDocument.class,
          "[{!inUse}the {name} is out of use since {outOfUseSince:moment}, because: {reason}]");

  private static final TextTemplate<TierDocument.Disk> DISK =
      TextTemplate.of(
          TierDocument.Disk.class,
          """

          file         {file}, with an index of {indexBytes:bytes} in memory
          new values   {newValues:count}, {newBytes:bytes}; {waitingBytes:bytes} wait to be written
          written      {writtenBytes:bytes}, now {writtenBytesPerSecond:bytes}/s[; {writtenBytesPerHit:bytes} for each hit]
          [amplified    {writeAmplification:decimal} bytes written for each new byte]
          reused       {reusedRegions:region|regions}: {keptValues:value|values} kept, {droppedValues:count} dropped
          not written  {rejectedValues:value|values} rejected by the admission, {shedValues:count} because the disk was too slow or out of use
          reads        {reads:count}, {readBytes:bytes}[; p50 {readP50:seconds}, p99 {readP99:seconds}]; {lateReads:count} too late
          faults       {damagedValues:value|values} damaged, {errors:error|errors}
          """);

  private static final TextTemplate<TierDocument> SUMMARY =
      TextTemplate.of(
          TierDocument.class,
          """
          disk         {occupancy:bar} {usedBytes:bytes} of {capacityBytes:bytes}, {occupancy:percent}; {values:value|values}[{?reason}; OUT OF USE: {reason}]
          disk writes  {disk.writtenBytesPerSecond:bytes}/s[, {disk.writtenBytesPerHit:bytes} for each hit][; reads p50 {disk.readP50:seconds}, p99 {disk.readP99:seconds}]
          """);

  private static final TextTemplate<TierDocument> BRIEF =
      TextTemplate.of(
          TierDocument.class,
          """
          disk         {occupancy:bar} {usedBytes:bytes} of {capacityBytes:bytes}, [{?inUse}{occupancy:percent}][{!inUse}OUT OF USE]
          disk writes  {disk.writtenBytesPerSecond,12:bytes}/s      reads p50 {disk.recentReadP50,9:seconds}   p99 {disk.recentReadP99,9:seconds}
          """);

  private TierLines() {}

  /** A table of tiers, and what only the disk has. */
  public static List<String> lines(TierDocument.Tiers all) {
    List<String> lines = new ArrayList<>(TIERS.lines(all.tiers()));
    for (TierDocument tier : all.tiers()) {
      lines.addAll(OUTAGE.lines(tier));
      if (tier.disk() != null) {
        lines.addAll(DISK.lines(tier.disk()));
      }
    }
    if (all.tiers().size() == 1) {
      lines.add("There is no disk; ebb.tiers.disk.path adds one.");
    }
    return lines;
  }

  /** The disk in two lines; nothing without one. */
  public static List<String> summary(List<TierDocument> tiers) {
    return tiers.stream()
        .filter(tier -> tier.disk() != null)
        .flatMap(tier -> SUMMARY.lines(tier).stream())
        .toList();
  }

  /** The disk in two lines of 80 columns; nothing without one. */
  public static List<String> brief(List<TierDocument> tiers) {
    return tiers.stream()
        .filter(tier -> tier.disk() != null)
        .flatMap(tier -> BRIEF.lines(tier).stream())
        .toList();
  }
}
