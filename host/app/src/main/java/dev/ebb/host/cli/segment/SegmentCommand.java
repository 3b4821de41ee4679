package dev.ebb.host.cli.segment;

import dev.ebb.host.cli.bench.RespAddress;
import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.http.Json;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.RespClient;
import dev.ebb.host.segment.SegmentHeader;
import dev.ebb.host.segment.SegmentObject;
import dev.ebb.host.segment.SegmentReader;
import dev.ebb.host.segment.SegmentWriter;
import dev.ebb.host.text.KeyText;
import dev.ebb.host.text.TextTable;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.Plural;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "segment",
    description = "Works with files that hold the K and V of a sequence, or a value")
public final class SegmentCommand extends CommandGroup {

  private static final int CHUNK = 1 << 20;

  SegmentCommand() {
    super("show", "save", "load");
  }

  @Command(
      description = "Shows the header of a segment, and checks its payload",
      footer = {"  ebb segment show prompt.seg", "  ebb segment show prompt.seg --json"})
  int show(
      @Parameters(paramLabel = "FILE", description = "The segment") Path file,
      @Mixin JsonOption json) {
    try (SegmentReader reader = new SegmentReader(file)) {
      Map<String, Object> fields = fields(reader.header());
      List<Map<String, Object>> objects =
          reader.objects().stream().map(SegmentCommand::row).toList();
      UserError damaged = check(reader);
      if (json.wanted()) {
        if (!objects.isEmpty()) {
          fields.put("objects", objects);
        }
        fields.put("intact", damaged == null);
        out().println(Json.text(fields));
      } else {
        lines(reader.header(), fields, damaged == null).forEach(out()::println);
        table(objects).forEach(out()::println);
      }
      out().flush();
      if (damaged != null) {
        throw damaged;
      }
      return CommandLine.ExitCode.OK;
    } catch (NoSuchFileException missing) {
      throw missing(file);
    } catch (IOException failed) {
      throw new UserError("'%s' cannot be read: %s".formatted(file, failed.getMessage()));
    }
  }

  @Command(
      description = "Saves the value of a key of a RESP server (Ebb or Redis) to a segment",
      showDefaultValues = true,
      footer = {
        "  ebb segment save system-prompt prompt.seg",
        "  ebb segment save hex:00ff10 value.seg --port 6381",
        "  ebb segment save system-prompt prompt.seg --host cache-3 --tls --cacert ca.pem",
        "  ebb segment save qwen@02000200@0@1f2e chunk.seg --groups state,full"
      })
  int save(
      @Parameters(paramLabel = "KEY", description = KeyText.HELP) KeyText key,
      @Parameters(paramLabel = "FILE", description = "A new file") String file,
      @Option(
              names = "--groups",
              paramLabel = "LIST",
              description =
                  "Save the objects of all workers and these object groups of the key's chunk, such"
                      + " as state,full")
          @Nullable String groups,
      @Mixin RespAddress server) {
    OutputFile target = Usage.of(spec(), () -> new OutputFile(file, "FILE").mustBeNew());
    BenchTarget address = Usage.of(spec(), () -> server.target(0));
    ObjectGroups kinds =
        groups == null ? null : Usage.of(spec(), () -> ObjectGroups.parse("--groups", groups));
    try (RespClient client = new RespClient(address)) {
      if (kinds != null) {
        ChunkTransfer.Saved saved = ChunkTransfer.save(client, key, kinds, target.path());
        if (saved.objects() == 0) {
          throw new UserError("'%s' has no object of the chunk of '%s'".formatted(address, key));
        }
        out()
            .println(
                "saved %s of the chunk of '%s', %s, to '%s'"
                    .formatted(
                        Plural.of(saved.objects(), "object", "objects"),
                        key,
                        ByteSize.format(saved.bytes()),
                        target));
        return CommandLine.ExitCode.OK;
      }
      long bytes = client.get(key.bytes());
      if (bytes < 0) {
        throw new UserError("'%s' has no key '%s'".formatted(address, key));
      }
      try (SegmentWriter writer = SegmentWriter.ofValue(target.path(), bytes);
          StatusLine line = StatusLine.onStandardError()) {
        for (long done = 0; done < bytes; ) {
          ByteBuffer piece = client.next(bytes - done);
          done += piece.remaining();
          writer.write(piece);
          progress(line, "saving the value", done, bytes);
        }
        writer.commit();
      }
      out().println("saved '%s', %s, to '%s'".formatted(key, ByteSize.format(bytes), target));
      return CommandLine.ExitCode.OK;
    } catch (IOException failed) {
      throw new UserError(
          "the value of '%s' on '%s' cannot be saved to '%s': %s"
              .formatted(key, address, target, failed.getMessage()));
    }
  }

  @Command(
      description = "Stores the value in a segment on a RESP server (Ebb or Redis)",
      showDefaultValues = true,
      footer = {
        "  ebb segment load prompt.seg system-prompt",
        "  ebb segment load value.seg hex:00ff10 --port 6381"
      })
  int load(
      @Parameters(paramLabel = "FILE", description = "The segment") Path file,
      @Parameters(paramLabel = "KEY", description = KeyText.HELP) KeyText key,
      @Mixin RespAddress server) {
    BenchTarget address = Usage.of(spec(), () -> server.target(0));
    try (SegmentReader reader = new SegmentReader(file)) {
      if (reader.header().shape() != null) {
        throw new UserError(
            "%s: the segment holds a 'sequence', and must hold a value; an embedded engine loads sequences"
                .formatted(file));
      }
      if (reader.header().objects() > 0) {
        return loadChunk(reader, file, key, address);
      }
      store(reader, file, key, address);
      long bytes = reader.header().payloadBytes();
      out().println("stored '%s', %s, from '%s'".formatted(key, ByteSize.format(bytes), file));
      return CommandLine.ExitCode.OK;
    } catch (NoSuchFileException missing) {
      throw missing(file);
    } catch (IOException failed) {
      throw new UserError(
          "'%s' cannot be stored on '%s': %s".formatted(file, address, failed.getMessage()));
    }
  }

  private int loadChunk(SegmentReader reader, Path file, KeyText key, BenchTarget address)
      throws IOException {
    try (SegmentReader checked = new SegmentReader(file);
        RespClient client = new RespClient(address)) {
      checked.verify(done -> {});
      int stored = ChunkTransfer.load(client, key, reader);
      if (stored < reader.header().objects()) {
        throw new UserError(
            "'%s' has room for '%d' of the %d objects of '%s'; give it more memory, or unpin something"
                .formatted(address, stored, reader.header().objects(), file));
      }
      out()
          .println(
              "stored %s of the chunk of '%s' from '%s'"
                  .formatted(Plural.of(stored, "object", "objects"), key, file));
      return CommandLine.ExitCode.OK;
    }
  }

  /** Ends the command that stores the value only when the checksum is right. */
  private static void store(SegmentReader reader, Path file, KeyText key, BenchTarget address)
      throws IOException {
    long bytes = reader.header().payloadBytes();
    try (RespClient client = new RespClient(address);
        StatusLine line = StatusLine.onStandardError()) {
      ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(CHUNK, bytes));
      client.set(key.bytes(), bytes);
      for (long done = 0; done < bytes; done += chunk.limit()) {
        chunk.clear().limit((int) Math.min(CHUNK, bytes - done));
        reader.read(chunk);
        client.write(chunk.flip());
        progress(line, "storing the value", done, bytes);
      }
      reader.verify(done -> {});
      if (!client.stored(key.bytes(), bytes)) {
        throw new UserError(
            "'%s' has no room for the '%s' of '%s'; give it more memory, or unpin something"
                .formatted(address, ByteSize.format(bytes), file));
      }
    }
  }

  /** Returns what is wrong with the payload; null if nothing is. */
  private static @Nullable UserError check(SegmentReader reader) throws IOException {
    long bytes = reader.header().payloadBytes();
    try (StatusLine line = StatusLine.onStandardError()) {
      reader.verify(done -> progress(line, "checking the payload", done, bytes));
      return null;
    } catch (UserError wrong) {
      return wrong;
    }
  }

  private static void progress(StatusLine line, String what, long done, long bytes) {
    line.update(() -> "%s %d%%".formatted(what, Math.round(100.0 * done / bytes)));
  }

  private static UserError missing(Path file) {
    return new UserError("'%s' does not exist".formatted(file));
  }

  private static Map<String, Object> row(SegmentObject object) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("group", object.group());
    row.put("kind", object.kind() == null ? "unknown" : object.kind().toString());
    row.put("rank", object.rank());
    row.put("ranks", object.ranks());
    row.put("bytes", object.bytes());
    return row;
  }

  private static List<String> table(List<Map<String, Object>> objects) {
    if (objects.isEmpty()) {
      return List.of();
    }
    TextTable table = new TextTable("GROUP", "KIND", "RANK", "RANKS", "BYTES");
    objects.forEach(row -> table.add(row.values().stream().map(SegmentCommand::text).toList()));
    return table.lines();
  }

  private static Map<String, Object> fields(SegmentHeader header) {
    Map<String, Object> fields = new LinkedHashMap<>();
    SegmentHeader.Shape shape = header.shape();
    fields.put("content", header.objects() > 0 ? "chunk" : shape == null ? "value" : "sequence");
    fields.put("version", header.version());
    if (shape != null) {
      fields.put("layers", shape.layers());
      fields.put("kvHeads", shape.kvHeads());
      fields.put("headDim", shape.headDim());
      fields.put("dtype", shape.dtype().name());
      fields.put("blockTokens", shape.blockTokens());
      fields.put("tokens", shape.tokens());
    }
    fields.put("payloadBytes", header.payloadBytes());
    fields.put("payloadCrc32c", "%08x".formatted(header.payloadChecksum()));
    return fields;
  }

  private static List<String> lines(
      SegmentHeader header, Map<String, Object> fields, boolean intact) {
    TextTable table = new TextTable("FIELD", "VALUE");
    fields.forEach((field, value) -> table.add(List.of(label(field), text(value))));
    table.add(List.of("payload", intact ? "intact" : "damaged"));
    table.add(List.of("file", ByteSize.format(SegmentHeader.BYTES + header.payloadBytes())));
    return table.lines();
  }

  private static String label(String field) {
    return switch (field) {
      case "kvHeads" -> "KV heads";
      case "headDim" -> "head dimension";
      case "blockTokens" -> "block tokens";
      case "tokens" -> "sequence length";
      case "payloadBytes" -> "payload bytes";
      case "payloadCrc32c" -> "payload CRC32C";
      default -> field;
    };
  }

  private static String text(Object value) {
    return switch (value) {
      case Integer number -> String.format(Locale.ROOT, "%,d", number);
      case Long number -> String.format(Locale.ROOT, "%,d", number);
      default -> value.toString();
    };
  }
}
