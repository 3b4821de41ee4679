package dev.ebb.host.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table of a page in {@code docs} that the program determines, between two comments. */
public final class GeneratedTable {

  private static final Path DOCS = Path.of("..", "..", "docs");
  private static final String WRITE = "ebb.reference.write";

  private GeneratedTable() {}

  /**
   * Checks a table, or writes it if the system property {@code ebb.reference.write} is set.
   *
   * @param page the file in {@code docs}
   * @param name the table follows {@code <!-- generated: name -->}
   * @param test the class to run to write it
   * @param header the first row
   * @param rows the other rows
   */
  public static void check(
      String page, String name, Class<?> test, List<String> header, List<List<String>> rows) {
    Path file = DOCS.resolve(page);
    String text = read(file);
    StringBuilder table = new StringBuilder();
    append(table, header);
    table.append("|---".repeat(header.size())).append("|\n");
    rows.forEach(row -> append(table, row));
    Matcher place =
        Pattern.compile("(<!-- generated: " + name + " -->\n).*?(\n<!-- end -->)", Pattern.DOTALL)
            .matcher(text);
    assertThat(place.find()).as("%s has a table '%s'", page, name).isTrue();
    String written =
        place.replaceFirst(
            Matcher.quoteReplacement(place.group(1) + "\n" + table + place.group(2)));
    if (Boolean.getBoolean(WRITE)) {
      write(file, written);
    }
    assertThat(text)
        .as(
            "run: mvn test -pl host/app-tests -am -Dtest=%s -Dsurefire.failIfNoSpecifiedTests=false"
                + " -DfailIfNoTests=false -D%s=true",
            test.getSimpleName(), WRITE)
        .isEqualTo(written);
  }

  private static void append(StringBuilder table, List<String> cells) {
    table.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
