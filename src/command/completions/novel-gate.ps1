# Completes novel-gate in PowerShell.
#
#     novel-gate completions powershell | Out-String | Invoke-Expression     # in $PROFILE
#
# The program itself knows what may come next; this only carries the words there and back.

Register-ArgumentCompleter -Native -CommandName 'novel-gate' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $program = $commandAst.CommandElements[0].Extent.Text
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
            else { $_.Extent.Text }
        })
    $lines = @(& $program completions powershell '--' @words "=$wordToComplete" 2>$null)
    if ($lines.Count -eq 0) { return }
    if ($lines[0] -ne 'none') {
        return [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    }
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $says = $_ -split "`t", 2
        if (-not $says) { $says = $value }
        $written = $value
        if ($value -match '[\s''"`$;|&(){}<>@#,]') { $written = "'" + $value.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($written, $value, 'ParameterValue', $says)
    }
}
