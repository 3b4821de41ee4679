// What 'ebb plugins new' refuses. Run when all is written, and deletes nothing: the folder may have held something before.
def wrong = null
if (!(kind in ['policy', 'token-policy', 'predictor'])) {
    wrong = "kind: '${kind}' is none of policy, token-policy, predictor"
} else if (!(artifactId ==~ /[a-z][a-z0-9]*(-[a-z0-9]+)*/)) {
    wrong = "artifactId: '${artifactId}' is the strategy's name too, and must be lower-case letters, digits and inner dashes, with a letter first, such as 'my-policy'"
} else if (['dev.ebb.', 'java.', 'org.pf4j.'].any { (request.package + '.').startsWith(it) }) {
    wrong = "package: '${request.package}' belongs to others, and its classes would not be loaded; choose one of your own, such as 'com.acme.cache'"
}
if (wrong) {
    throw new IllegalArgumentException("${wrong}. What was made in '${new File(request.outputDirectory, artifactId)}' is of no use: delete it")
}
