package dev.ebb.host.cli;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.segment.SegmentHeader;
import dev.ebb.host.segment.SegmentReader;
import dev.ebb.host.units.ByteSize;
import java.io.IOException;
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
import picocli.CommandLine.Parameters;

/** The group {@code ebb segment}. */
@Command(
    name = "segment",
    description = "Inspects files with the K and V of a sequence, or a value")
final class SegmentCommand extends CommandGroup {

  SegmentCommand() {
    super("show");
  }

  @Command(
      description = "Shows the header of a segment, and checks its payload",
      footer = {"  ebb segment show prompt.seg", "  ebb segment show prompt.seg --json"})
  int show(
      @Parameters(paramLabel = "FILE", description = "The segment") Path file,
      @Mixin JsonOption json) {
    try (SegmentReader reader = new SegmentReader(file)) {
      UserError damaged = check(reader);
      Map<String, Object> fields = fields(reader.header());
      if (json.wanted()) {
        fields.put("intact", damaged == null);
        out().println(Json.text(fields));
      } else {
        lines(reader.header(), fields, damaged == null).forEach(out()::println);
      }
      out().flush();
      if (damaged != null) {
        throw damaged;
      }
      return CommandLine.ExitCode.OK;
    } catch (NoSuchFileException missing) {
      throw new UserError("'%s' does not exist".formatted(file));
    } catch (IOException failed) {
      throw new UserError("'%s' cannot be read: %s".formatted(file, failed.getMessage()));
    }
  }

  /** Returns what is wrong with the payload; null if nothing is. */
  private static @Nullable UserError check(SegmentReader reader) throws IOException {
    long bytes = reader.header().payloadBytes();
    try (StatusLine line = StatusLine.onStandardError()) {
      reader.verify(
          done -> line.update(() -> "checking the payload %d%%".formatted(percent(done, bytes))));
      return null;
    } catch (UserError wrong) {
      return wrong;
    }
  }

  private static long percent(long done, long bytes) {
    return Math.round(100.0 * done / bytes);
  }

  private static Map<String, Object> fields(SegmentHeader header) {
    Map<String, Object> fields = new LinkedHashMap<>();
    SegmentHeader.Shape shape = header.shape();
    fields.put("content", shape == null ? "value" : "sequence");
    fields.put("version", SegmentHeader.FORMAT);
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
