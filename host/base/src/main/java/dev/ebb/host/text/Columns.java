package dev.ebb.host.text;

import java.util.List;

/**
 * The columns of a table of documents, a line each: {@code >SIZE | {bytes:bytes}} is a heading,
 * with {@code >} before it if its column is aligned right, and a {@link TextTemplate}.
 */
public final class Columns<T> {

  private final List<String> headings;
  private final List<TextTemplate<T>> cells;

  private Columns(List<String> headings, List<TextTemplate<T>> cells) {
    this.headings = headings;
    this.cells = cells;
  }

  /** Parses columns; the parameters are those of {@link TextTemplate#of}. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Columns<T> of(Class<T> type, String columns, Computed<T>... computed) {
    List<String[]> both = columns.lines().map(line -> line.split(" *\\| ?", 2)).toList();
    return new Columns<>(
        both.stream().map(column -> column[0].isEmpty() ? " " : column[0]).toList(),
        both.stream().map(column -> TextTemplate.of(type, column[1], computed)).toList());
  }

  /** Returns the headings, and a line for each document. */
  public List<String> lines(List<T> documents) {
    TextTable table = new TextTable(headings.toArray(String[]::new));
    documents.forEach(each -> table.add(cells.stream().map(cell -> cell.line(each)).toList()));
    return table.lines();
  }
}
