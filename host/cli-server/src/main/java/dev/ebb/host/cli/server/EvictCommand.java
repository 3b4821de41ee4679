package dev.ebb.host.cli.server;

import dev.ebb.host.admin.entries.EntryDocument;
import dev.ebb.host.cli.options.OptionValues;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.store.stats.EvictionResult;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.text.TextTemplate;
import dev.ebb.host.units.Percent;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ebb evict}: evicts manually. */
@Command(
    name = "evict",
    description = "Evicts manually: the policy chooses the entries, unless a key is named",
    footer = {
      "  ebb evict --to 0.7",
      "  ebb evict --size '2 GiB'",
      "  ebb evict --blocks 100",
      "  ebb evict 'model@1@0@a1b2@bfloat16'",
      "  ebb evict --lora sql-v1"
    })
public final class EvictCommand implements Callable<Integer> {

  @Mixin private ServerOptions server;

  private static final long BLOCK_BYTES = 64 << 10;
  private static final String CHOICES = "--to, --size, --blocks, --entries, --lora, a KEY";

  private static final TextTemplate<EvictionResult> RESULT =
      TextTemplate.of(
          EvictionResult.class,
          """
          evicted {entries:entry|entries}, {freedBytes:bytes}; in use {before:bytes} before, {after:bytes} after
          [not more: {whyNotMore}]
          """);

  private static final TextTemplate<EntryDocument.Removed> REMOVED =
      TextTemplate.of(
          EntryDocument.Removed.class, "removed {entries:entry|entries}, {bytes:bytes}");

  @Option(
      names = "--to",
      paramLabel = "SHARE",
      converter = OptionValues.Share.class,
      description = "Until this share of the pool is in use, 0 to 1")
  private @Nullable Double share;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "This much memory, for example '2 GiB'")
  private @Nullable String size;

  @Option(names = "--blocks", paramLabel = "N", description = "This many blocks of 64 KiB")
  private @Nullable Long blocks;

  @Option(names = "--entries", paramLabel = "N", description = "This many entries")
  private @Nullable Long entries;

  @Option(
      names = "--lora",
      paramLabel = "NAME",
      description =
          "Removes all entries of this LoRA adapter from memory, and their copies on the disk, as"
              + " DEL does")
  private @Nullable String lora;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description = "With --lora: only those of this model")
  private @Nullable String model;

  @Parameters(arity = "0..1", paramLabel = "KEY", description = KeyText.HELP)
  private @Nullable KeyText key;

  @Override
  public Integer call() {
    String adapter = lora;
    if (model != null && adapter == null) {
      throw server.wrong("--model: '%s' needs --lora, the name of an adapter".formatted(model));
    }
    if (adapter != null && adapter.isBlank()) {
      throw server.wrong(
          "--lora: '%s' must be the name of an adapter, as 'ebb keys --namespaces' shows it"
              .formatted(adapter));
    }
    Map<String, Object> wish = wish();
    if (adapter != null) {
      String of = model == null ? "" : "?model=" + Percent.encode(model);
      return server.show(
          client ->
              client.delete(
                  "/api/v1/adapters/" + Percent.encode(adapter) + of, EntryDocument.Removed.class),
          REMOVED::lines);
    }
    return server.show(
        client -> client.send("POST", "/api/v1/evict", wish, EvictionResult.class), RESULT::lines);
  }

  private Map<String, Object> wish() {
    long given =
        Stream.of(share, size, blocks, entries, lora, key).filter(Objects::nonNull).count();
    if (given != 1) {
      throw server.wrong(
          given == 0
              ? "say what to evict, one of: " + CHOICES
              : "%d are given, name only one of: %s".formatted(given, CHOICES));
    }
    if (lora != null) {
      return Map.of();
    }
    if (key != null) {
      return Map.of("key", key.encoded());
    }
    if (share != null) {
      return Map.of("to", share);
    }
    if (entries != null) {
      return Map.of("entries", server.between("--entries", entries, 1, Long.MAX_VALUE));
    }
    return Map.of("bytes", bytes());
  }

  private long bytes() {
    if (blocks != null) {
      return server.between("--blocks", blocks, 1, Long.MAX_VALUE / BLOCK_BYTES) * BLOCK_BYTES;
    }
    return server.bytes("--size", String.valueOf(size), "2 GiB");
  }
}
