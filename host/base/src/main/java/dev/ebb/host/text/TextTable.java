package dev.ebb.host.text;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows as aligned columns for a terminal, two spaces between them. */
public final class TextTable {

  private static final String RIGHT = ">";

  private final List<String> header;
  private final boolean[] right;
  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with these columns; a name that starts with {@code >} aligns right. */
  public TextTable(String... columns) {
    header =
        List.of(columns).stream()
            .map(name -> name.startsWith(RIGHT) ? name.substring(RIGHT.length()) : name)
            .toList();
    right = new boolean[columns.length];
    for (int column = 0; column < right.length; column++) {
      right[column] = columns[column].startsWith(RIGHT);
    }
  }

  public TextTable add(List<String> cells) {
    if (cells.size() != header.size()) {
      throw new IllegalArgumentException(cells + " does not fit the columns " + header);
    }
    rows.add(List.copyOf(cells));
    return this;
  }

  /** Returns the header and a line for each row. */
  public List<String> lines() {
    int[] widths = IntStream.range(0, right.length).map(this::width).toArray();
    List<String> lines = new ArrayList<>();
    lines.add(line(header, widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  private int width(int column) {
    return IntStream.concat(
            IntStream.of(header.get(column).length()),
            rows.stream().mapToInt(row -> columnsOf(row.get(column))))
        .max()
        .orElse(0);
  }

  private String line(List<String> cells, int[] widths) {
    return IntStream.range(0, widths.length)
        .mapToObj(column -> {
          String cell = cells.get(column);
          String gap = " ".repeat(widths[column] - columnsOf(cell));
          return right[column] ? gap + cell : cell + gap;
        })
        .collect(Collectors.joining("  "))
        .stripTrailing();
  }

  /**
   * Returns the width; a character beyond the basic plane is two in Java and one on the terminal.
   */
  private static int columnsOf(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
