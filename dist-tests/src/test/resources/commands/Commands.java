import dev.ebb.host.cli.EbbMain;
import dev.ebb.host.lifecycle.ProcessDefaults;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the commands of a file, an argument a line, with an empty line between two commands. */
final class Commands {

  private Commands() {}

  /** Leaves what each command wrote, and its exit code, beside the file. */
  public static void main(String[] args) throws Exception {
    ProcessDefaults.setLocale();
    Path file = Path.of(args[0]);
    int number = 0;
    for (String command : Files.readString(file).split("\n\n")) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      int code = EbbMain.run(new PrintWriter(out), new PrintWriter(err), command.split("\n"));
      Files.writeString(file.resolveSibling(number + ".out"), out.toString());
      Files.writeString(file.resolveSibling(number + ".err"), err.toString());
      Files.writeString(file.resolveSibling(number + ".code"), Integer.toString(code));
      number++;
    }
    // A command that left a thread behind ends here too.
    System.exit(0);
  }
}
