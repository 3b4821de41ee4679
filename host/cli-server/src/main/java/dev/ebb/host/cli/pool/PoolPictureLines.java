package dev.ebb.host.cli.pool;

import dev.ebb.host.admin.pool.PoolPicture;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.KeyText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pictures of pools as lines for a terminal. */
final class PoolPictureLines {

  /** The server's limit of a picture. */
  static final int MOST_CELLS = 1 << 16;

  /** By use: the escape sequence of its colour. Letters distinguish uses without it. */
  private static final Map<String, String> COLOURS =
      Map.ofEntries(
          Map.entry("free", "90"),
          Map.entry("cached", "36"),
          Map.entry("shared", "34"),
          Map.entry("owned", "32"),
          Map.entry("migrating", "35"),
          Map.entry("reserved", "33"),
          Map.entry("value", "36"),
          Map.entry("reading", "32"),
          Map.entry("pinned", "35"),
          Map.entry("small", "34"),
          Map.entry("passing", "33"));

  private final PoolPicture map;
  private final int columns;
  private final boolean coloured;
  private final List<String> lines = new ArrayList<>();

  private PoolPictureLines(PoolPicture map, int columns, boolean coloured) {
    this.map = map;
    this.columns = columns;
    this.coloured = coloured;
  }

  static List<String> of(List<PoolPicture> maps, int columns, boolean coloured) {
    return Format.sections(maps, map -> new PoolPictureLines(map, columns, coloured).lines());
  }

  private List<String> lines() {
    double cell = map.cellBlocks();
    lines.add(
        "%s, %s%s"
            .formatted(
                Format.text(map.pool()),
                Format.count(map.blocks(), "block", "blocks"),
                cell > 1 ? ", %s to a character".formatted(Format.count(map.cellBlocks())) : ""));
    legend();
    String cells = map.cells();
    for (int from = 0; from < cells.length(); from += columns) {
      lines.add(painted(cells.substring(from, Math.min(cells.length(), from + columns))));
    }
    return lines;
  }

  private void legend() {
    StringBuilder line = new StringBuilder();
    int used = 0;
    for (Map.Entry<String, Integer> each : map.uses().entrySet()) {
      String use = each.getKey();
      String symbol = Format.text(map.symbols().get(use));
      String word = " %s %s".formatted(use, Format.count(each.getValue()));
      int wide = symbol.length() + word.length();
      if (used > 0 && used + 3 + wide > columns) {
        lines.add(line.toString());
        line.setLength(0);
        used = 0;
      }
      line.append(used > 0 ? "   " : "").append(paint(use, symbol)).append(word);
      used += (used > 0 ? 3 : 0) + wide;
    }
    lines.add(line.toString());
  }

  /** Returns the cells; a run of equal characters has one escape sequence. */
  private String painted(String cells) {
    if (!coloured) {
      return KeyText.printable(cells);
    }
    StringBuilder line = new StringBuilder();
    int end;
    for (int from = 0; from < cells.length(); from = end) {
      char symbol = cells.charAt(from);
      end = from + 1;
      while (end < cells.length() && cells.charAt(end) == symbol) {
        end++;
      }
      line.append(paint(use(symbol), KeyText.printable(cells.substring(from, end))));
    }
    return line.toString();
  }

  private String use(char symbol) {
    return map.symbols().entrySet().stream()
        .filter(use -> use.getValue().equals(String.valueOf(symbol)))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("");
  }

  private String paint(String use, String text) {
    String colour = COLOURS.get(use);
    return coloured && colour != null ? "\033[" + colour + "m" + text + "\033[0m" : text;
  }
}
