package dev.ebb.host.cli;

import dev.ebb.host.admin.PoolPicture;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.units.Percent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ebb pool map}: draws the use of each block of a running Ebb's memory. */
@Command(
    name = "map",
    description = "Draws the use of each block of a running Ebb's pools",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb pool map",
      "  ebb pool map --device cuda:0 --width 120 --rows 40",
      "  ebb pool map --json"
    })
final class PoolMapCommand extends AnswerCommand<PoolPicture.All> {

  private static final int WIDEST = 1_000;

  /** The lines of a terminal page beside the picture. */
  private static final int OTHER_LINES = 5;

  @Option(names = "--device", paramLabel = "NAME", description = "Only this device's pool")
  private @Nullable String device;

  @Option(
      names = "--width",
      paramLabel = "N",
      description = "Characters in a line, 1 to 1000; by default the terminal's, else 80")
  private @Nullable Integer width;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Lines of a picture at most, 1 to 1000; by default what fits the terminal")
  private @Nullable Integer rows;

  private int columns;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PoolMapCommand() {}

  @Override
  Answer<PoolPicture.All> ask(AdminClient client) {
    int[] size = Terminal.size();
    columns = width == null ? size[0] : checked("--width", width);
    int lines = rows == null ? Math.max(1, size[1] - OTHER_LINES) : checked("--rows", rows);
    long cells = Math.min((long) columns * lines, PoolPictureLines.MOST_CELLS);
    String path = "/api/v1/pool/map?cells=" + cells;
    return client.get(
        device == null
            ? path
            : path + "&device=" + Percent.encode(device.getBytes(StandardCharsets.UTF_8)),
        PoolPicture.All.class);
  }

  private int checked(String option, int value) {
    if (value < 1 || value > WIDEST) {
      throw wrong("%s: '%d' must be 1 to %d".formatted(option, value, WIDEST));
    }
    return value;
  }

  @Override
  List<String> lines(PoolPicture.All answer) {
    return PoolPictureLines.of(answer.maps(), columns, Terminal.hasColours());
  }
}
