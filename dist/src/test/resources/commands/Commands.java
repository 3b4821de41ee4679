import dev.ebb.host.cli.EbbMain;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs the commands of a file, an argument a line, with an empty line after each command. */
final class Commands {

  private Commands() {}

  /** Leaves what each command wrote, and its exit code, beside the file. */
  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    int number = 0;
    for (String command : Files.readString(file).split("\n\n")) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      String[] arguments = List.of(command.split("\n")).toArray(String[]::new);
      int code = EbbMain.run(new PrintWriter(out), new PrintWriter(err), arguments);
      Files.writeString(file.resolveSibling(number + ".out"), out.toString());
      Files.writeString(file.resolveSibling(number + ".err"), err.toString());
      Files.writeString(file.resolveSibling(number + ".code"), Integer.toString(code));
      number++;
    }
  }
}
