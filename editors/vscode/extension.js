// Starts `kgen lsp`, the language server, for documents of the language.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
	const command = workspace.getConfiguration("kgen").get("path");
	client = new LanguageClient(
		"kgen",
		"kgen",
		{ command, args: ["lsp"] },
		{ documentSelector: [{ language: "kgen" }] },
	);
	await client.start();
};

exports.deactivate = () => client?.stop();
