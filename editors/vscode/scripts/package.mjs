// Writes citecheck-VERSION.vsix: a zip file of the extension with a manifest. Its bytes depend on the files only.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { crc32, deflateRawSync } from "node:zlib";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { name, displayName, description, version, publisher, engines, keywords, categories } = manifest;

const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const vsixManifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}" />
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped(keywords.join(","))}</Tags>
    <Categories>${escaped(categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}" />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${manifest.extensionKind.join(",")}" />
    </Properties>
    <License>extension/LICENSE</License>
    <Icon>extension/icon.png</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/icon.png" Addressable="true" />
  </Assets>
</PackageManifest>
`;

const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json" />
  <Default Extension=".txt" ContentType="text/plain" />
  <Default Extension=".md" ContentType="text/markdown" />
  <Default Extension=".js" ContentType="application/javascript" />
  <Default Extension=".png" ContentType="image/png" />
  <Default Extension=".vsixmanifest" ContentType="text/xml" />
  <Override PartName="/extension/LICENSE" ContentType="text/plain" />
</Types>
`;

// The bundle contains code of others, whose licences ask for their text.
const { inputs } = JSON.parse(readFileSync("dist/meta.json", "utf8"));
const folders = new Set(Object.keys(inputs).map((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]));
const notices = [...folders]
  .filter((folder) => folder && existsSync(`${folder}/package.json`))
  .sort()
  .map((folder) => {
    const called = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const said = called ? readFileSync(`${folder}/${called}`, "utf8") : JSON.parse(readFileSync(`${folder}/package.json`)).license;
    return `${folder.replace(/^.*node_modules\//, "")}\n\n${said.trim()}\n`;
  });

const readme = readFileSync("README.md", "utf8").replace(/^!\[.*\n\n/gm, ""); // the pictures are in docs
const files = [
  ["extension.vsixmanifest", Buffer.from(vsixManifest)],
  ["[Content_Types].xml", Buffer.from(types)],
  ["extension/package.json", readFileSync("package.json")],
  ["extension/README.md", Buffer.from(readme)],
  ["extension/LICENSE", readFileSync("../../LICENSE")],
  ["extension/ThirdPartyNotices.txt", Buffer.from(notices.join(`\n${"-".repeat(80)}\n\n`))],
  ["extension/icon.png", readFileSync("icon.png")],
  ["extension/dist/extension.js", readFileSync("dist/extension.js")],
];

// A local header and an entry of the directory share most fields (APPNOTE 4.3.7 and 4.3.12).
const [locals, entries] = [[], []];
let offset = 0;
for (const [path, data] of files) {
  const [packed, called] = [deflateRawSync(data, { level: 9 }), Buffer.from(path)];
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // version that is needed
  fields.writeUInt16LE(8, 4); // deflate
  fields.writeUInt16LE(0x21, 8); // 1980-01-01
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(called.length, 22);
  const further = Buffer.alloc(14);
  further.writeUInt32LE(offset, 10);
  locals.push(Buffer.from("PK\x03\x04", "latin1"), fields, called, packed);
  entries.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, further, called);
  offset += 4 + fields.length + called.length + packed.length;
}
const directory = Buffer.concat(entries);
const end = Buffer.alloc(22);
end.write("PK\x05\x06", "latin1");
end.writeUInt16LE(files.length, 8);
end.writeUInt16LE(files.length, 10);
end.writeUInt32LE(directory.length, 12);
end.writeUInt32LE(offset, 16);
const target = `${name}-${version}.vsix`;
writeFileSync(target, Buffer.concat([...locals, directory, end]));
console.log(target);
